"""All partitions of a few people into classes, and their probabilities in fractions: the oracle of population uniqueness."""

from fractions import Fraction


def set_partitions(size):
    """All partitions of records 0, 1, ..., as lists of lists."""
    if not size:
        yield []
        return
    for rest in set_partitions(size - 1):
        for k in range(len(rest)):
            yield [*rest[:k], [*rest[k], size - 1], *rest[k + 1 :]]
        yield [*rest, [size - 1]]


def partition_probability(partition, theta, alpha):
    """The Ewens-Pitman probability of one partition of labelled records."""
    found = Fraction(1)
    for i in range(1, len(partition)):
        found *= theta + i * alpha
    for i in range(1, sum(map(len, partition))):
        found /= theta + i
    for part in partition:
        for j in range(1, len(part)):
            found *= j - alpha
    return found
