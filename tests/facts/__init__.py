"""Tests of the simulator that were written from the facts about Ascend C alone."""
