import { createRequire } from 'node:module';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { Type } from 'protobufjs';
import type * as ProtoJson from 'protobufjs/ext/protojson';

/**
 * Converts histories and their payloads to and from the JSON that Temporal's tools use. npm usually installs a copy of protobufjs for
 * `@temporalio/common` and another one for `@temporalio/proto`. With two copies, Temporal's own functions fail with "type must be a Type". The
 * functions here use the copy of `@temporalio/proto`, with which the types were made.
 */
const requireOfProto = createRequire(require.resolve('@temporalio/proto'));
const { fromJson, toJson } = requireOfProto('protobufjs/ext/protojson') as typeof ProtoJson;

/** A workflow's history, in the form of Temporal's API. */
export type History = temporal.api.history.v1.IHistory;

/** A payload in a history's JSON: the metadata and the data in base64. */
export interface JsonPayload {
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly data?: string | null;
}

/** The schema of a history: a `Type` of protobufjs. It is declared as `object`, because users of this package may not have protobufjs. */
export const HISTORY: object = temporal.api.history.v1.History;
// Each generated message class is also its own schema, but its TypeScript type does not say so.
const HISTORY_TYPE = HISTORY as Type;
const PAYLOAD = temporal.api.common.v1.Payload as unknown as Type;

/** Converts JSON to a history. Throws if the value is not a history. Ignores unknown fields. */
export function historyFromJson(json: unknown): History {
  return fromJson(HISTORY_TYPE, json, { ignoreUnknownFields: true }) as History;
}

/** Converts a history to plain JSON values. */
export function historyToJson(history: History): unknown {
  return toJson(HISTORY_TYPE, temporal.api.history.v1.History.fromObject(history));
}

/** Converts a payload from the JSON of a history. */
export function payloadFromJson(json: JsonPayload): Payload {
  return fromJson(PAYLOAD, json) as Payload;
}
