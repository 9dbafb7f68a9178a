import type { IncomingMessage } from 'node:http';

/** The true answer of a payment service. */
export interface TrueAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Passes a request on to the payment service at `truth`, and returns its answer. */
export async function relay(truth: string, request: IncomingMessage): Promise<TrueAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { authorization, 'content-type': type } = request.headers;
  const answer = await fetch(truth + (request.url ?? ''), {
    method: request.method ?? 'GET',
    headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
