import type { FastifyInstance } from 'fastify';

const HEADERS = {
  'cache-control': 'no-store',
  // Not `no-referrer`, with which browsers hide the origin of the console's own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Script and style are files: nothing that stands in a page runs.
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
} as const;

/** Every answer, also a refusal: it loads nothing from elsewhere, is kept by no cache and embedded by nobody. */
export function secureAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(HEADERS);
    done();
  });
  // Again, over what a page has set: there is one rule for all of them.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.headers(HEADERS);
    done();
  });
}
