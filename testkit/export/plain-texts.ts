import type { PaymentActivities } from '../../src/protocol/activities/activities';
import {
  DEFAULT_TASK_QUEUE,
  MESSAGES,
  SEARCH_ATTRIBUTES,
  WORKFLOW_ID_PREFIX,
  WORKFLOW_TYPE,
} from '../../src/protocol/names';
import { isErrorCode } from '../../src/errors';
import { FINGERPRINT } from '../../src/sessions';
import type { Fakes } from './fakes';
import { isOwnText } from './harmless';

/** A text that the engine keeps in the open, and where. */
export interface PlainPlace {
  /** The name of the message that has the field. */
  readonly message: string;
  readonly field: string;
  /** The message itself, as JSON. */
  readonly holder: object;
  readonly fakes: Fakes;
}

const ACTIVITIES: Readonly<Record<keyof PaymentActivities, true>> = {
  authenticate: true,
  createSession: true,
  lookUpCreate: true,
  pollSession: true,
  followSession: true,
  cancelSession: true,
  claimSession: true,
  findSession: true,
  readSession: true,
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Counted by the SDK; longer ones would be somebody's. */
const COUNT = /^\d{1,5}$/;

const oneOf = (values: readonly string[]) => (text: string) => values.includes(text);

/** Texts that say nothing about a person, by the message and its field; the history replays by some of them. */
const HARMLESS: Readonly<Record<string, (text: string) => boolean>> = {
  'WorkflowType.name': oneOf([WORKFLOW_TYPE]),
  'ActivityType.name': (text) => Object.hasOwn(ACTIVITIES, text),
  'TaskQueue.name': oneOf([DEFAULT_TASK_QUEUE]),
  'TaskQueue.normalName': oneOf([DEFAULT_TASK_QUEUE]),
  'WorkflowExecutionSignaledEventAttributes.signalName': oneOf([MESSAGES.cancel]),
  'Input.name': oneOf(Object.values(MESSAGES)),
  'Failure.message': isOwnText,
  'Failure.source': oneOf(['TypeScriptSDK']),
  'ApplicationFailureInfo.type': isErrorCode,
  'WorkflowTaskCompletedMetadata.sdkName': (text) => /^temporal-[a-z]{1,20}$/.test(text),
  'WorkflowTaskCompletedMetadata.sdkVersion': (text) => /^\d{1,4}(\.\d{1,4}){2}$/.test(text),
  // Some replays depend on it, and it is the SDK's own.
  'MarkerRecordedEventAttributes.markerName': oneOf(['core_patch', 'core_local_activity']),
};

/** The text where it is harmless, a fake where it is not. */
export function plainText(text: string, place: PlainPlace): string {
  const { message, field, holder, fakes } = place;
  if (text === '' || HARMLESS[`${message}.${field}`]?.(text) === true) return text;
  switch (field) {
    case 'workflowId':
      return text.startsWith(WORKFLOW_ID_PREFIX)
        ? `${WORKFLOW_ID_PREFIX}${fakes.text(text.slice(WORKFLOW_ID_PREFIX.length))}`
        : fakes.text(text);
    case 'identity':
    case 'originalRequestIdentity':
      return 'paysession';
    case 'stackTrace':
      return '';
    case 'activityId':
    case 'timerId':
      return COUNT.test(text) ? text : fakes.id(text);
    case 'updateId':
    case 'protocolInstanceId':
    case 'requestId':
      return fakes.id(text);
    case 'acceptedRequestMessageId':
    case 'rejectedRequestMessageId':
      return `${fakes.id(text.replace(/\/request$/, ''))}/request`;
    case 'name':
      if ('kind' in holder && holder.kind === 'TASK_QUEUE_KIND_STICKY') return 'sticky';
      return fakes.text(text);
    default:
      // The engine's own ids of runs, from which replays draw their random numbers.
      return /runId$/i.test(field) && UUID.test(text) ? text : fakes.text(text);
  }
}

const NAMES: ReadonlySet<string> = new Set([...Object.values(SEARCH_ATTRIBUTES), FINGERPRINT]);

/** Whether the key of a map is one of ours. */
export function harmlessName(key: string): boolean {
  return NAMES.has(key);
}
