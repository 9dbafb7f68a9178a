import { InvalidArgumentError, type Command } from 'commander';
import { webUrl } from '../../shared/input/parse-arguments';
import { parsePort } from '../../shared/input/ports';
import type { CodecFlags } from './codec';

const DEFAULT_PORT = 8234;

export function registerCodec(program: Command): void {
  program
    .command('codec')
    .description('decrypt payloads for Temporal’s UI and command line until Ctrl-C')
    .option('--port <n>', 'port to listen on', parsePort, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on; other addresses require authentication', '127.0.0.1')
    .option(
      '--origin <url>',
      'the page that may call it, such as https://temporal.example (default: none)',
      origin,
    )
    .option('--allow-encode', 'also encrypt, so that Temporal’s command line can start and signal workflows')
    .option('--oidc-issuer <url>', 'accept tokens from this OpenID Connect issuer', issuer)
    .option('--oidc-audience <name>', 'the audience that these tokens must have')
    .option('--oidc-jwks <url>', 'where the issuer publishes its keys', webUrl)
    .addHelpText(
      'after',
      '\nPAYSESSION_CODEC_TOKEN or PAYSESSION_CODEC_TOKEN_FILE sets the bearer token that callers must send.\n' +
        '\nExamples:\n  $ paysession codec --origin http://localhost:8233' +
        '\n  $ temporal workflow show --workflow-id payment-session/order-1042 --codec-endpoint http://127.0.0.1:8234',
    )
    .action(async (flags: CodecFlags) => {
      const { codec } = await import('./codec.js');
      await codec(flags);
    });
}

/** As a browser names it in a request: scheme, host and port. */
function origin(text: string): string {
  const url = webUrl(text);
  if (new URL(url).origin === url) return url;
  throw new InvalidArgumentError('must be only scheme, host and port, such as https://temporal.example.');
}

/** As it is: tokens name their issuer byte for byte, often with a slash at its end. */
function issuer(text: string): string {
  webUrl(text);
  return text;
}
