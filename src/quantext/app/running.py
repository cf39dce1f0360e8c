"""What scripts ask about jobs: how far they are; and that one be cancelled."""

import shlex
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from quantext.app.jobs import Job, Jobs
from quantext.app.rendering import failure, plainly

__all__ = ["ROUTES", "as_told"]


def as_told(job: Job) -> dict[str, Any]:
    """What a page is told of a job."""
    command = shlex.join([job.module, *job.arguments]) if job.module == "quantext" else None
    return {
        "number": job.number,
        "kind": job.kind,
        "about": job.about,
        "state": job.state,
        "stage": job.stage,
        "done": job.done,
        "total": job.total,
        "said": plainly(job.said),
        "ended": job.ended,
        "command": command,
    }


async def _one(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    job = jobs.get(request.path_params["number"])
    return JSONResponse(as_told(job)) if job else failure("there is no such job", 404)


async def _active(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    return JSONResponse([as_told(job) for job in jobs.latest() if not job.ended])


async def _cancel(request: Request) -> Response:
    jobs: Jobs = request.app.state.jobs
    job = await run_in_threadpool(jobs.cancel, request.path_params["number"])
    return JSONResponse(as_told(job)) if job else failure("there is no such job", 404)


ROUTES = [
    Route("/jobs", _active),
    Route("/jobs/{number}", _one),
    Route("/jobs/{number}/cancel", _cancel, methods=["POST"]),
]
