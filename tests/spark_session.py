"""Spark in local mode, started once for all tests of a process; they are skipped where it is not installed."""

import atexit
from functools import cache

import pytest


@cache
def spark_session():
    sql = pytest.importorskip("pyspark.sql", reason="Spark is in an extra of its own", exc_type=ImportError)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # half of the time: no query runs twice
    }
    session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    atexit.register(session.stop)
    return session
