import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, interceptors, request, type Dispatcher } from 'undici';
import { whileReporting, type Reports } from './progress';
import { runCommand, reasonOf } from './run-command';
import { officialPlatform, sha256Of } from './digests';
import type { CachedProgram } from './cache';

export interface DownloadOptions extends Reports {
  readonly program: CachedProgram;
  /** The folder into which the executable is put. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** The origin of the official download. @default 'https://temporal.download' */
  readonly downloadBaseUrl: string | undefined;
  /** The path of the program's archives at the origin. */
  readonly archivePath: string;
  /** True if the archive has the program in a folder with other files. @default false */
  readonly isInFolder?: boolean;
  /** The SHA-256 that the archive must have, in lower-case hexadecimal digits. Without it, nothing is downloaded. */
  readonly sha256: string | undefined;
  /** The name of the setting with this digest, for the error's message. */
  readonly sha256Setting: string;
}

/** The longest wait for a connection. After it, the next way to get the program is tried. */
const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 10_000;
const TOTAL_TIMEOUT_MS = 5 * 60_000;
const EXTRACT_TIMEOUT_MS = 2 * 60_000;
const MAX_REDIRECTS = 5;
const THIS_MACHINE = ['127.0.0.1', '[::1]'];
const MAX_BYTES = 400 * 1024 * 1024;

/**
 * Downloads the official build of a program and puts it into a folder. Unpacks the archive only if it has the given digest. If that
 * fails, throws an `Error` that says why.
 */
export async function downloadProgram(options: DownloadOptions): Promise<void> {
  const { folder, env, program, isInFolder = false } = options;
  const archive = join(folder, 'archive');
  const url = archiveUrl(options);
  if (options.sha256 === undefined) {
    throw new Error(
      `${url.href} was not downloaded, because paysession knows no SHA-256 to verify it with. Set ${options.sha256Setting} to the archive’s SHA-256.`,
    );
  }
  await fetchArchive(url, archive, options);
  const digest = await sha256Of(archive);
  if (digest !== options.sha256)
    throw new Error(`${url.href} has the SHA-256 ${digest}, not ${options.sha256}`);
  const args = ['-xf', archive, '-C', folder];
  args.push(...(isInFolder ? ['--strip-components', '1'] : [program.executableName]));
  await runCommand({ file: 'tar', args, env, timeoutMs: EXTRACT_TIMEOUT_MS });
  await rm(archive);
}

function archiveUrl({ downloadBaseUrl = 'https://temporal.download', archivePath }: DownloadOptions): URL {
  const machine = officialPlatform();
  if (machine === undefined) {
    throw new Error(`there is no official build for ${process.platform} on ${process.arch}`);
  }
  const url = new URL(`/${archivePath}`, downloadBaseUrl);
  url.search = new URLSearchParams({ ...machine }).toString();
  return url;
}

async function fetchArchive(url: URL, file: string, options: DownloadOptions): Promise<void> {
  const agent = new EnvHttpProxyAgent({ connect: { timeout: CONNECT_TIMEOUT_MS } });
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: agent.compose(
        onlyHttpsOrLoopback,
        interceptors.redirect({ maxRedirections: MAX_REDIRECTS }),
      ),
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
      signal: AbortSignal.timeout(TOTAL_TIMEOUT_MS),
    });
    if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
    await save(body, file, Number(headers['content-length']), options);
  } catch (cause) {
    throw new Error(`${url.href}: ${reasonOf(cause)}`, { cause });
  } finally {
    await agent.destroy();
  }
}

/** Refuses plain http, also after a redirect. Plain http to a loopback address is allowed. */
const onlyHttpsOrLoopback: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { protocol, hostname, href } = new URL(String(options.origin));
  if (protocol !== 'https:' && !THIS_MACHINE.includes(hostname)) throw new Error(`${href} is not https`);
  return dispatch(options, handler);
};

async function save(
  body: Readable,
  file: string,
  expectedBytes: number,
  options: DownloadOptions,
): Promise<void> {
  let received = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      done(received > MAX_BYTES ? new Error(`the archive has more than ${MAX_BYTES} bytes`) : null, chunk);
    },
  });
  await whileReporting(
    options,
    () =>
      `Downloading the ${options.program.title}: ${megabytes(received)} of ${megabytes(expectedBytes)} MB`,
    () => pipeline(body, count, createWriteStream(file)),
  );
}

function megabytes(bytes: number): string {
  return Number.isNaN(bytes) ? '?' : (bytes / 1_000_000).toFixed(1);
}
