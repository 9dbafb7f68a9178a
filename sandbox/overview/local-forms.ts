import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { readForm } from '../../web/bodies';
import { LOOPBACK_HOSTS } from '../../web/known-hosts';
import { HttpProblem } from '../../web/problems';

const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;

/** Headers by which a proxy tells for whom it asks: that is somebody elsewhere. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * The forms that change what the sandbox holds. Only who sits at this machine gets and sends them, and only from the
 * sandbox's own pages: another site's page can neither read their token nor hide where it comes from.
 */
export class LocalForms {
  readonly #token = randomBytes(32);
  readonly #wrongContentTypeStatus: number;

  constructor({ wrongContentTypeStatus }: { readonly wrongContentTypeStatus: number }) {
    this.#wrongContentTypeStatus = wrongContentTypeStatus;
  }

  /** What goes with every form; none for callers who may not send one. */
  tokenFor(request: FastifyRequest): string | undefined {
    return isFromThisMachine(request) ? this.#token.toString('base64url') : undefined;
  }

  /** The form that was sent; throws the 403 of one that was not to be. */
  read(request: FastifyRequest): URLSearchParams {
    if (!isFromThisMachine(request)) {
      throw new HttpProblem(403, 'Only callers on this machine may change what the sandbox holds.');
    }
    const form = isFromOwnPage(request) ? readForm(request, this.#wrongContentTypeStatus) : undefined;
    if (form === undefined || !this.#fits(form.get('token') ?? '')) {
      throw new HttpProblem(403, 'The form is not from this sandbox’s page: open the page again.');
    }
    return form;
  }

  #fits(token: string): boolean {
    const given = Buffer.from(token, 'base64url');
    return given.length === this.#token.length && timingSafeEqual(given, this.#token);
  }
}

const isFromThisMachine = ({ ip, hostname, headers }: FastifyRequest): boolean =>
  LOOPBACK_ADDRESS.test(ip) &&
  LOOPBACK_HOSTS.includes(hostname) &&
  PROXY_HEADERS.every((name) => headers[name] === undefined);

/** Browsers say where a form comes from. */
function isFromOwnPage({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  return (
    (origin === undefined || origin === `http://${host}`) && (site === undefined || site === 'same-origin')
  );
}
