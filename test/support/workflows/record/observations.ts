import type { SessionKind } from '../../../../src/contract';
import { next } from '../../../../workflows/record/next';
import { newRecord, type Observation, type SessionRecord } from '../../../../workflows/record/session-record';

export const START = Date.parse('2026-01-02T03:04:05.000Z');

export const created: Observation = {
  type: 'created',
  sessionId: 'b3c8b9a2-3f0e-4f57-9f43-0f6a3a2a7c11',
  checkoutUrl: 'https://pay.example/app/?sessionId=b3c8b9a2-3f0e-4f57-9f43-0f6a3a2a7c11',
};
export const cancel: Observation = { type: 'cancelRequested', by: 'caller' };
export const polled = (status: string, code?: string, amount?: number): Observation => ({
  type: 'seen',
  source: 'poll',
  snapshot: { status, ...(code !== undefined && { code }), ...(amount !== undefined && { amount }) },
});

/** Returns the record of a session of this kind after these observations, which are one second apart. */
export const afterOf = (kind: SessionKind, ...observations: Observation[]): SessionRecord =>
  observations.reduce(
    (record, observation, index) => next(record, observation, START + (index + 1) * 1_000),
    newRecord(START, { kind }),
  );
export const after = (...observations: Observation[]): SessionRecord => afterOf('EFT', ...observations);

export const unreadable = (status: string): Observation => ({
  type: 'seen',
  source: 'poll',
  snapshot: { status, unreadableCode: true },
});

export const states = (record: SessionRecord) =>
  record.stateHistory.map(({ status, code }) => [status, code].join('/'));
export const anomalies = (record: SessionRecord) => record.anomalies.map(({ kind }) => kind);
