import { isNestedTooDeeply } from '../../contract';
import { transportReason } from './transport-reason';

/** What could be read of a response's body. */
export type ResponseBody =
  /** All of it; `json` is undefined when it is not JSON, which an error's body need not be (contract A70), or too deep. */
  | { readonly state: 'complete'; readonly json: unknown }
  /** The connection failed, or the call was stopped, before its end. */
  | { readonly state: 'cut'; readonly reason: string }
  /** More than the bound; the rest was not read. */
  | { readonly state: 'tooLarge' };

/**
 * Reads a body up to `maxBytes`. It does not throw: the status before it is an answer, whatever becomes of the body.
 * Leaving the loop early destroys the stream, and undici then destroys the socket.
 */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ResponseBody> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) return { state: 'tooLarge' };
      chunks.push(chunk);
    }
  } catch (error) {
    return { state: 'cut', reason: transportReason(error) };
  }
  return { state: 'complete', json: parseJson(new TextDecoder().decode(Buffer.concat(chunks))) };
}

function parseJson(text: string): unknown {
  if (isNestedTooDeeply(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
