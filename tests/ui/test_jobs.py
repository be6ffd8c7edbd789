"""Background work ends in a result, a sentence or silence, and can be called off."""

import threading
import time

from anchordiv.errors import InputError
from anchordiv.ui.jobs import Job, Lane, start

PATIENCE = 10.0


def wait(job: Job) -> Job:
    until = time.monotonic() + PATIENCE
    while job.pending and time.monotonic() < until:
        time.sleep(0.005)
    return job


def test_a_result_arrives():
    job = wait(start(Job(lambda report: 6 * 7)))
    assert (job.state, job.result, job.problem) == ("done", 42, "")


def test_our_own_errors_are_kept_as_their_sentence():
    def work(report):
        raise InputError("There is no folder of that name.")

    job = wait(start(Job(work)))
    assert (job.state, job.problem) == ("failed", "There is no folder of that name.")


def test_other_errors_show_nothing_of_their_inside():
    def work(report):
        raise KeyError("/secret/place")

    job = wait(start(Job(work)))
    assert job.state == "failed"
    assert "secret" not in job.problem
    assert job.problem.endswith(".")


def test_cancel_stops_running_work_at_its_next_report():
    under_way = threading.Event()

    def work(report):
        for step in range(10_000):
            report("reading", step, 10_000)
            under_way.set()
            time.sleep(0.002)

    job = start(Job(work))
    assert under_way.wait(PATIENCE)
    job.cancel()
    assert wait(job).state == "cancelled"
    assert job.stages["reading"].done < 9_999


def test_a_lane_works_in_order_and_skips_what_was_called_off():
    gate, seen = threading.Event(), []
    lane = Lane("test")
    first = lane.add(Job(lambda report: (gate.wait(PATIENCE), seen.append(1))))
    second = lane.add(Job(lambda report: seen.append(2)))
    third = lane.add(Job(lambda report: seen.append(3)))
    second.cancel()
    gate.set()
    wait(first), wait(third)
    assert seen == [1, 3]
    assert second.state == "cancelled"


def test_time_left_follows_the_pace_of_the_present_stage():
    job = Job(lambda report: None)
    job.report("encoding", 0, 100)
    encoding = job.stages["encoding"]
    assert encoding.seconds_left() is None
    encoding.began -= 10.0
    job.report("reading", 3, 100)
    job.report("encoding", 25, 100)
    assert 29.9 < encoding.seconds_left() < 30.5
    assert list(job.stages) == ["encoding", "reading"]


def test_what_is_there_so_far_is_published_with_news_of_it():
    job = Job(lambda report: None)
    job.publish("half")
    assert (job.partial, job.news, job.pending) == ("half", 1, True)
