"""What is done with an accepted text: put together, written, recorded, and measured again."""
