# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs that run at the same time, each as soon as those it needs are done.

There are two lanes. A guest has one emulation thread and most checks have one
process, so as many of these run as there are CPUs. A build could use all CPUs,
but does not all the time: two of them fill each other's gaps. Builds are started
with a lower priority (kernel.NICE): a guest next to one runs as if it were
alone, and the builds take what is left.
"""

import os
import threading

import outcomes
import ui

BUILD, SINGLE = "build", "single"
WIDTH = {BUILD: 2, SINGLE: os.cpu_count()}


class Job:
    """FUNCTION, with what it needs."""

    def __init__(self, name, function, lane, needs):
        self.name = name
        self.function = function
        self.lane = lane
        self.needs = [need for need in needs if need]
        self.state = "waits"
        # What FUNCTION returned.
        self.value = None


class Plan:
    """The jobs of a run, in the order in which they are taken if more can run."""

    def __init__(self):
        self.jobs = []

    def add(self, name, function, *needs, lane=BUILD):
        """A job; FUNCTION takes the results. Returns it, for others to need.

        What FUNCTION returns is what json knows, and is for them.
        """
        job = Job(name, function, lane, needs)
        self.jobs.append(job)
        return job

    def take_over(self, found, continued):
        """Take over what has passed before the run was interrupted.

        A job without a test or a value, such as a build, is for others: it runs again if
        one of them does.
        """
        needed, over, failed, seconds = set(), [], [], 0
        for job in reversed(self.jobs):
            record = continued.recall(job.name)
            if record:
                seconds = max(seconds, record.at + record.took)
                if record.failed:
                    failed.append(job.name)
                elif record.tests or record.value is not None or job not in needed:
                    over.append((job, record))
                    continue
            needed.update(job.needs)
        found.resume(seconds)
        for job, record in reversed(over):
            job.state, job.value = "done", record.value
            found.take_over(job.name, record.at, record.took, record.tests)
        if over or failed:
            count = f"{len(over)} job{'' if len(over) == 1 else 's'}"
            ui.say(f"taking over {count} of the run that was interrupted after "
                   f"{continued.when()}; OUTCOMES=no runs all")
        if failed:
            ui.say(f"what failed in it runs again: {', '.join(reversed(failed))}")

    def run(self, found, continued=None):
        """Run all. One that fails is a failed test, and so are those that need it.

        With CONTINUED, take over what has passed in a run that was interrupted, and keep
        what ends.
        """
        changed = threading.Condition()
        threads = []
        if continued:
            self.take_over(found, continued)

        def keep(job, at, recorder, bad):
            # What is ended as the user interrupts has not failed.
            if not continued or ui.STOPPING.is_set():
                return
            failed = bad or recorder.failed
            if failed:
                # What it was made from may be why.
                for need in job.needs:
                    continued.forget(need.name)
            continued.keep(job.name, at=at, took=found.elapsed() - at, tests=recorder.tests,
                           value=job.value, failed=failed)

        def work(job):
            failed_before = found.count(job.name)[1]
            stopped = bad = None
            at, recorder = found.elapsed(), outcomes.Recorder(found)
            try:
                with found.job(job.name):
                    job.value = job.function(recorder)
                found.made(job.name, recorder.tests)
                bad = found.count(job.name)[1] > failed_before
                keep(job, at, recorder, bad)
            except BaseException as error:  # An interrupt of the user's, or a defect of ours.
                stopped = error
            with changed:
                bad = stopped or bad
                job.state = "failed" if bad else "done"
                if stopped and not ui.STOPPING.is_set():
                    found.add(job.name, "comes to its end", False, repr(stopped))
                changed.notify_all()

        def ready():
            """The next job to start, or None; drops those that cannot run."""
            running = [job.lane for job in self.jobs if job.state == "runs"]
            for job in self.jobs:
                if job.state != "waits":
                    continue
                lost = [need.name for need in job.needs if need.state == "failed"]
                if lost:
                    job.state = "failed"
                    found.add(job.name, "runs", False, f"not run, for: {', '.join(lost)}")
                elif (all(need.state == "done" for need in job.needs)
                      and running.count(job.lane) < WIDTH[job.lane]):
                    return job
            return None

        try:
            with changed:
                while any(job.state in ("waits", "runs") for job in self.jobs):
                    job = ready()
                    if not job:
                        changed.wait(1)
                        continue
                    job.state = "runs"
                    thread = threading.Thread(target=work, args=(job,), daemon=True)
                    thread.start()
                    threads.append(thread)
        except BaseException:
            ui.stop()
            raise
        for thread in threads:
            thread.join()
