"""Labelled tables of counts: how they are made, joined, summed and held in memory."""
