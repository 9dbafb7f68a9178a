import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';

/** A browser that keeps cookies and sends the headers of its origin. It does not follow redirects. */
export class Browser {
  readonly cookies = new Map<string, string>();
  /** The `Set-Cookie` headers of all answers, newest last. */
  readonly setCookies: string[] = [];
  readonly #app: FastifyInstance;
  readonly #origin: string;
  readonly #address: string;

  constructor(app: FastifyInstance, origin: string, address = '127.0.0.1') {
    this.#app = app;
    this.#origin = origin;
    this.#address = address;
  }

  get(url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
    return this.send({ method: 'GET', url, headers: { accept: 'text/html', ...headers } });
  }

  post(
    url: string,
    form: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    return this.send({
      method: 'POST',
      url,
      payload: new URLSearchParams(form).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: this.#origin,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });
  }

  /** Returns the header with which this browser sends its cookies. */
  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async send({ headers, ...request }: InjectOptions): Promise<LightMyRequestResponse> {
    const cookie = this.cookieHeader();
    const answer = await this.#app.inject({
      remoteAddress: this.#address,
      ...request,
      headers: { host: new URL(this.#origin).host, ...(cookie !== '' && { cookie }), ...headers },
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      this.setCookies.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (line.includes('Max-Age=0')) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}

/** Returns the page's text, without its markup. */
export const textOf = ({ body }: LightMyRequestResponse): string =>
  body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
