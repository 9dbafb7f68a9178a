import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HostAnswer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** Sends a request with `host` as its `Host` header, as a browser does after DNS rebinding. */
export function askForHost(url: string, host: string): Promise<HostAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers: { host }, agent: false }, (response) => {
      const { statusCode: status, headers } = response;
      void text(response).then((body) => {
        resolve({ status, type: headers['content-type'], body });
      });
    });
    call.on('error', reject);
    call.end();
  });
}
