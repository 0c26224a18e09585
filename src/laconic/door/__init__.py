"""Who stands at the door of a box: answers names, dials what the box may reach, opens its ports."""
