import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { History } from '../../../testkit/histories/history-json';
import type { CreateAttempt } from '../invariants/evidence';
import { decodePayloads } from '../../../src/encryption/payload-codec';

type Event = NonNullable<History['events']>[number];

/** Returns every create activity that the Temporal server scheduled in these runs of a session. */
export async function createAttempts(
  histories: readonly History[],
  client: Client,
): Promise<readonly CreateAttempt[]> {
  const attempts = await Promise.all(histories.map(({ events }) => attemptsIn(events ?? [], client)));
  return attempts.flat();
}

async function attemptsIn(events: readonly Event[], client: Client): Promise<CreateAttempt[]> {
  const steps = events.filter(({ activityTaskScheduledEventAttributes: scheduled }) =>
    ['createSession', 'lookUpCreate'].includes(scheduled?.activityType?.name ?? ''),
  );
  const known = await Promise.all(
    steps.map(async (event) => {
      const end = events.find((one) => String(scheduledIdOf(one)) === String(event.eventId));
      const payload = end?.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
      return { event, end, answer: payload == null ? undefined : await answerIn(payload, client) };
    }),
  );
  return known.flatMap(({ event: { eventTime, ...event }, end, answer }, index) => {
    if (isLookUp(event)) return [];
    const next = known[index + 1];
    return {
      atMs: Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1e6),
      ...(answer !== undefined && { outcome: String(answer.outcome) }),
      isAboutToSend: lastHeartbeat(end).length > 0,
      ...(next && isLookUp(next.event) && next.answer?.created !== undefined && { isFound: true as const }),
    };
  });
}

const isLookUp = (event: Pick<Event, 'activityTaskScheduledEventAttributes'>): boolean =>
  event.activityTaskScheduledEventAttributes?.activityType?.name === 'lookUpCreate';

const scheduledIdOf = (event: Event) =>
  (
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskCanceledEventAttributes
  )?.scheduledEventId;

/** Returns the details of the last heartbeat of a lost activity attempt. The failure or its cause contains them. */
function lastHeartbeat(event: Event | undefined): readonly Payload[] {
  const failure = event?.activityTaskTimedOutEventAttributes?.failure;
  const infos = [failure?.timeoutFailureInfo, failure?.cause?.timeoutFailureInfo];
  return infos.flatMap((info) => info?.lastHeartbeatDetails?.payloads ?? []);
}

/** The result of a create activity, or of the activity that searches the ledger for a lost create. */
interface Answer {
  readonly outcome?: unknown;
  readonly created?: unknown;
}

async function answerIn(payload: Payload, { options }: Client): Promise<Answer> {
  const [decoded] = await decodePayloads(options.loadedDataConverter.payloadCodecs, [payload]);
  return JSON.parse(Buffer.from(decoded?.data ?? []).toString()) as Answer;
}
