import { randomUUID } from 'node:crypto';
import { json, localService, type Behaviour, type LocalService } from '../service/local-service';
import type { Canaries } from './canaries';

/** The HTTP status of the answer to a create request, by the payment's reference. Other payments get 201. */
const STATUS_OF: Readonly<Record<string, number>> = { refused: 400, lost: 500 };

/**
 * Starts a payment service that repeats the request, the credentials and the token in every text of its answers. Its sessions
 * complete at the second poll.
 */
export function echoingService(canaries: Canaries): Promise<LocalService> {
  const sent = new Map<string, { readonly body: string; readonly referenceId: string; looks: number }>();
  const everything = (body: string): string =>
    [body, ...canaries['client secret'], ...canaries['access token']].join(' ');
  const problem = (status: number, body: string) => ({
    status,
    title: everything(body),
    detail: everything(body),
    instance: `/echo?${encodeURIComponent(everything(body))}`,
    errors: { [everything(body)]: [everything(body)] },
  });
  const create: Behaviour = (response, { body }) => {
    const { referenceId } = JSON.parse(body) as { readonly referenceId: string };
    const status = STATUS_OF[referenceId];
    if (status !== undefined) {
      json(response, status, problem(status, body));
      return;
    }
    const sessionId = randomUUID();
    sent.set(sessionId, { body, referenceId, looks: 0 });
    json(response, 201, { sessionId, referenceId, echo: everything(body) });
  };
  const details: Behaviour = (response, { path }) => {
    const sessionId = path.split('/').at(-2) ?? '';
    const session = sent.get(sessionId);
    if (session === undefined) {
      json(response, 404, problem(404, path));
      return;
    }
    session.looks += 1;
    // The first poll fails. The second poll gets a completed session.
    if (session.looks === 1) json(response, 503, problem(503, session.body));
    else
      json(response, 200, {
        sessionId,
        referenceId: session.referenceId,
        status: 'Completed',
        statusDetails: 'EFT0301',
        type: 'EFT',
        direction: 'DEBIT',
        currency: 'CAD',
        amount: 25,
        echo: everything(session.body),
      });
  };
  return localService({
    '/authorize': (response) => {
      json(response, 200, { access_token: canaries['access token'][0], expires_in: 599 });
    },
    '/sessions': create,
    '/details': details,
    '/cancel': (response, { path }) => {
      json(response, 409, problem(409, path));
    },
  });
}
