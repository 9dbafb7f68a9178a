import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { decodePayloads } from '../../../src/encryption/codecs';
import type { History } from '../../../testkit/history-json';
import type { CreateAttempt } from '../invariants/evidence';

type Event = NonNullable<History['events']>[number];

/** Every create that the engine handed out in these runs of a session. */
export async function createAttempts(
  histories: readonly History[],
  client: Client,
): Promise<readonly CreateAttempt[]> {
  const attempts = await Promise.all(histories.map(({ events }) => attemptsIn(events ?? [], client)));
  return attempts.flat();
}

async function attemptsIn(events: readonly Event[], client: Client): Promise<CreateAttempt[]> {
  const creates = events.filter(
    ({ activityTaskScheduledEventAttributes: scheduled }) =>
      scheduled?.activityType?.name === 'createSession',
  );
  return Promise.all(
    creates.map(async ({ eventId, eventTime }) => {
      const end = events.find((event) => String(scheduledIdOf(event)) === String(eventId));
      const payload = end?.activityTaskCompletedEventAttributes?.result?.payloads?.[0];
      const outcome = payload == null ? undefined : await outcomeIn(payload, client);
      return {
        atMs: Number(eventTime?.seconds ?? 0) * 1_000 + Math.floor((eventTime?.nanos ?? 0) / 1e6),
        ...(outcome !== undefined && { outcome }),
        isAboutToSend: lastWords(end).length > 0,
      };
    }),
  );
}

const scheduledIdOf = (event: Event) =>
  (
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskCanceledEventAttributes
  )?.scheduledEventId;

/** What the last heartbeat of an attempt said that was lost; that stands at the failure or at its cause. */
function lastWords(event: Event | undefined): readonly Payload[] {
  const failure = event?.activityTaskTimedOutEventAttributes?.failure;
  const infos = [failure?.timeoutFailureInfo, failure?.cause?.timeoutFailureInfo];
  return infos.flatMap((info) => info?.lastHeartbeatDetails?.payloads ?? []);
}

async function outcomeIn(payload: Payload, { options }: Client): Promise<string> {
  const [decoded] = await decodePayloads(options.loadedDataConverter.payloadCodecs, [payload]);
  const { outcome } = JSON.parse(Buffer.from(decoded?.data ?? []).toString()) as {
    readonly outcome?: unknown;
  };
  return String(outcome);
}
