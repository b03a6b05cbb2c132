"""Subtopics of a topic: grades per subtopic, the cube that a session fills, nuggets, and the best order of documents."""
