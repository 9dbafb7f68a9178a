import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../wait';

/** A span that the collector has received. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the parent span, or an empty text for the root span of a trace. */
  readonly parentSpanId: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A trace collector on this machine. It receives OTLP (OpenTelemetry’s protocol) as JSON over HTTP. */
export interface Collector {
  readonly url: string;
  /** Returns the text of all received traces. */
  text(): string;
  /** Returns the spans of a trace, once `isWhole` returns true for them. */
  trace(
    traceId: string,
    isWhole: (spans: readonly ReceivedSpan[]) => boolean,
  ): Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

interface OtlpSpan extends Omit<ReceivedSpan, 'attributes' | 'failed' | 'parentSpanId'> {
  readonly parentSpanId?: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
  readonly status?: { readonly code?: number };
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** The status code of a failed span in OTLP. */
const ERROR = 2;

export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (request.url === '/v1/traces') {
        bodies.push(body);
        spans.push(...spansIn(JSON.parse(body) as Otlp));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.join('\n'),
    trace: (traceId, isWhole) =>
      until(() => Promise.resolve(spans.filter((span) => span.traceId === traceId)), isWhole),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function spansIn({ resourceSpans }: Otlp): readonly ReceivedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map(({ name, traceId, spanId, parentSpanId, attributes, status }) => ({
      name,
      traceId,
      spanId,
      parentSpanId: parentSpanId ?? '',
      failed: status?.code === ERROR,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    }));
}

/** Returns the names of a span and its ancestors, the root first. */
export function pathOf(span: ReceivedSpan, all: readonly ReceivedSpan[]): string {
  const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
  if (span.parentSpanId !== '' && parent === undefined) return `? > ${span.name}`;
  return parent === undefined ? span.name : `${pathOf(parent, all)} > ${span.name}`;
}
