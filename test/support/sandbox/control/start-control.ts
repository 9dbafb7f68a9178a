import type { SandboxOptions } from '../../../../sandbox';
import { JSON_TYPE, Service, startService, type Answer } from '../requests-to-sandbox';

/** The control port of a sandbox, and methods that call it over real HTTP. */
class Control {
  readonly #service: Service;

  constructor(
    readonly service: Service,
    readonly url: string,
  ) {
    this.#service = new Service({ ...service.sandbox, url }, service.clock);
  }

  get(path: string): Promise<Answer> {
    return this.#service.send(path);
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = JSON_TYPE): Promise<Answer> {
    return this.#service.send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  delete(path: string): Promise<Answer> {
    return this.#service.send(path, { method: 'DELETE' });
  }
}

/** Starts a sandbox with a control port. */
export async function startControl(options: SandboxOptions = {}): Promise<Control> {
  const service = await startService(options);
  const { url } = await service.sandbox.listenControl();
  return new Control(service, url);
}
