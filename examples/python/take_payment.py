"""Takes a payment: python take_payment.py KEY AMOUNT [REFERENCE]

A second run with the same arguments starts nothing, and attaches to the key's session. The program only needs
`pip install temporalio`, and workers of paysession on the same Temporal server, such as those of `npx paysession dev`.
"""

import asyncio
import os
import sys
from typing import Any

from temporalio.client import (
    Client,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.common import WorkflowIDReusePolicy
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

Json = dict[str, Any]


class NotTaken(Exception):
    """No payment was taken. The message says why."""


async def connect() -> Client:
    """Connects with TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, TEMPORAL_TLS_… and Temporal's configuration file."""
    config = ClientConfig.load_client_connect_config()
    config.setdefault("target_host", "localhost:7233")
    return await Client.connect(**config)


async def start_or_attach(client: Client, session_input: Json) -> WorkflowHandle[Any, Any]:
    """Starts a session, or attaches to the one that has the key, even if it has ended. Raises NotTaken if that one is for another payment."""
    workflow_id = f"payment-session/{session_input['key']}"
    try:
        return await client.start_workflow(
            "paymentSession",
            session_input,
            id=workflow_id,
            task_queue=os.environ.get("PAYSESSION_TASK_QUEUE", "payment-sessions"),
            id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
        )
    except WorkflowAlreadyStartedError:
        handle = client.get_workflow_handle(workflow_id)
        if payment_of(await stored_input(client, handle)) != payment_of(session_input):
            raise NotTaken(f"The key {session_input['key']} belongs to another payment: nothing was started.")
        return handle


async def stored_input(client: Client, handle: WorkflowHandle[Any, Any]) -> Json:
    """Returns the input of a session, from the first event of its history."""
    first = await anext(handle.fetch_history_events(page_size=1))
    payloads = first.workflow_execution_started_event_attributes.input.payloads
    # After a continue-as-new, a second payload has the session's record.
    values = await client.data_converter.decode(payloads[:1])
    return values[0] if values and isinstance(values[0], dict) else {}


def payment_of(session_input: Json) -> Any:
    """Returns the fields that identify a payment: its account and its request. The policy is not one of them."""
    return session_input.get("account") or "default", session_input.get("request")


async def checkout_url(handle: WorkflowHandle[Any, Any]) -> str | None:
    """Returns the URL for the payor once the session is open; None if it has ended. Raises NotTaken if an operator must decide first."""
    if (await handle.describe()).status != WorkflowExecutionStatus.RUNNING:
        return None
    state = await ask_state(handle)
    if state["phase"] == "parked":
        raise NotTaken("It is unknown whether the session was created at the payment service. See: npx paysession resolve --help")
    if state["phase"] != "creating":
        return state.get("checkoutUrl")
    try:
        return (await handle.execute_update("awaitOpened"))["checkoutUrl"]
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return None  # It has ended in the meantime.


async def ask_state(handle: WorkflowHandle[Any, Any]) -> Json:
    """Queries the state. A query may fail while the session moves to another worker, so this asks again."""
    for pause_s in (0.2, 0.5, 1, 2, 4):
        try:
            return await handle.query("state")
        except WorkflowQueryFailedError:
            await asyncio.sleep(pause_s)
    return await handle.query("state")


async def take_payment(key: str, amount: float, reference: str) -> Json:
    request = {
        "type": "EFT",
        "direction": "DEBIT",
        "amount": amount,
        "referenceId": reference,
        "options": {"guarantee": {"enable": False}},
        "payor": {"firstName": "Avery", "lastName": "Tremblay", "email": "avery@example.com"},
    }
    session = await start_or_attach(await connect(), {"key": key, "request": request})
    url = await checkout_url(session)
    if url is not None:
        print(url, flush=True)  # Send the payor there.
    return await session.result()  # Takes minutes, or days if the payor signs later.


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    key, amount = sys.argv[1], float(sys.argv[2])
    try:
        result = asyncio.run(take_payment(key, amount, sys.argv[3] if len(sys.argv) == 4 else key))
    except NotTaken as error:
        print(error, file=sys.stderr)
        return 1
    except (WorkflowFailureError, WorkflowUpdateFailedError) as error:
        cause = error.cause
        code = cause.type if isinstance(cause, ApplicationError) else type(cause).__name__
        print(f"{code}: {cause}", file=sys.stderr)
        return 1
    print("paid" if result["paid"] else "not paid", result["status"], result.get("code", ""))
    return 0 if result["paid"] else 1


if __name__ == "__main__":
    exit_code = main()
    # Temporal's SDK sometimes aborts a short program while the interpreter shuts down, so end it directly.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(exit_code)
