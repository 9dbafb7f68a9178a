import { createRequire } from 'node:module';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { Type } from 'protobufjs';
import type * as ProtoJson from 'protobufjs/ext/protojson';

/**
 * Converts histories and their payloads to and from JSON, as all Temporal tools write it. Temporal's own functions fail with "type must be
 * a Type" if npm gave `@temporalio/common` and `@temporalio/proto` a copy of protobufjs each, as it usually does. These functions use the
 * copy with which the types were made.
 */
const requireOfProto = createRequire(require.resolve('@temporalio/proto'));
const { fromJson, toJson } = requireOfProto('protobufjs/ext/protojson') as typeof ProtoJson;

/** A workflow's history, as Temporal's API has it. */
export type History = temporal.api.history.v1.IHistory;

/** A payload in a history's JSON: the metadata and the data in base64. */
export interface JsonPayload {
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly data?: string | null;
}

/** The schema of a history, a `Type` of protobufjs. Declared as `object`, because consumers of the package need not have protobufjs. */
export const HISTORY: object = temporal.api.history.v1.History;
// The generated types hide that each message is its own schema, too.
const HISTORY_TYPE = HISTORY as Type;
const PAYLOAD = temporal.api.common.v1.Payload as unknown as Type;

/** Converts the JSON of a history. Throws if the value is something else. Ignores fields that this version does not know. */
export function historyFromJson(json: unknown): History {
  return fromJson(HISTORY_TYPE, json, { ignoreUnknownFields: true }) as History;
}

/** Returns the history as plain JSON values. */
export function historyToJson(history: History): unknown {
  return toJson(HISTORY_TYPE, temporal.api.history.v1.History.fromObject(history));
}

/** Converts a payload of a history's JSON. */
export function payloadFromJson(json: JsonPayload): Payload {
  return fromJson(PAYLOAD, json) as Payload;
}
