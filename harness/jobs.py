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

    def build(self, kernel):
        """The job that builds a kernel."""
        name = f"build {kernel.name}"
        known = next((job for job in self.jobs if job.name == name), None)
        return known or self.add(name, lambda found: kernel.build())

    def guest(self, name, function, kernel, *args):
        """A job in a guest of a kernel, which FUNCTION takes behind the results."""
        return self.add(name, lambda found: function(found, kernel, *args), self.build(kernel),
                        lane=SINGLE)

    def take_over(self, found, kept):
        """Take over what passed before the run was interrupted.

        A job without a test or a value, such as a build, is for others: it runs again if
        one of them does.
        """
        needed, over = set(), []
        for job in reversed(self.jobs):
            outcome = kept.recall(job.name)
            if outcome and (outcome["tests"] or outcome["value"] is not None or job not in needed):
                over.insert(0, (job, outcome))
            else:
                needed.update(job.needs)
        for job, outcome in over:
            job.state, job.value = "done", outcome["value"]
            found.take_over(job.name, outcome["took"], outcome["tests"])
        if over:
            ui.say(f"taking over {len(over)} of {len(self.jobs)} jobs of the run that was "
                   "interrupted; OUTCOMES=no runs all")

    def run(self, found, kept=None):
        """Run all. One that fails is a failed test, and so are those that need it.

        With KEPT, an outcomes.Run, take over what has passed in a run that was interrupted,
        and keep what passes.
        """
        changed = threading.Condition()
        threads = []
        if kept:
            self.take_over(found, kept)

        def keep(job, took, tests, bad):
            # What is ended as the user interrupts has not failed.
            if not kept or ui.STOPPING.is_set():
                return
            if bad:
                # What it was made from may be why.
                for name in (job.name, *(need.name for need in job.needs)):
                    kept.forget(name)
            else:
                kept.keep(job.name, {"took": took, "tests": tests, "value": job.value})

        def work(job):
            failed_before = found.count(job.name)[1]
            stopped = bad = None
            at, recorder = found.elapsed(), outcomes.Recorder(found, job.name)
            try:
                with found.job(job.name):
                    job.value = job.function(recorder)
                found.close(recorder.suites)
                bad = found.count(job.name)[1] > failed_before
                keep(job, found.elapsed() - at, recorder.tests, bad or recorder.failed)
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
