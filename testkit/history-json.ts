import { createRequire } from 'node:module';
import type { Payload } from '@temporalio/common';
import type { History, JSONPayload } from '@temporalio/common/lib/proto-utils';
import * as proto from '@temporalio/proto';
import { patchProtobufRoot } from '@temporalio/proto/lib/patch-protobuf-root';
import type { Type } from 'protobufjs';
import type * as ProtoJson from 'protobufjs/ext/protojson';

/**
 * Histories and their payloads to and from JSON, as all Temporal tools write it. Temporal's own functions fail where npm gave
 * `@temporalio/common` and `@temporalio/proto` a copy of protobufjs each, as it usually does ("type must be a Type"):
 * these take the copy that the types are of.
 */
const requireOfProto = createRequire(require.resolve('@temporalio/proto'));
const { fromJson, toJson } = requireOfProto('protobufjs/ext/protojson') as typeof ProtoJson;

// The generated types hide that the root is a protobufjs root.
const root = patchProtobufRoot({ ...proto }) as unknown as { lookupType(name: string): Type };
/** What a history consists of, field by field. */
export const HISTORY = root.lookupType('temporal.api.history.v1.History');
const PAYLOAD = root.lookupType('temporal.api.common.v1.Payload');

/** Throws when it is not the JSON of a history; fields that this version does not know are passed over. */
export function historyFromJson(json: unknown): History {
  return fromJson(HISTORY, json, { ignoreUnknownFields: true }) as History;
}

/** The history as plain JSON values. */
export function historyToJson(history: History): unknown {
  return toJson(HISTORY, proto.temporal.api.history.v1.History.fromObject(history));
}

/** A payload of a history's JSON. */
export function payloadFromJson(json: JSONPayload): Payload {
  return fromJson(PAYLOAD, json) as Payload;
}
