import type { FastifyRequest } from 'fastify';
import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../src/contract';
import { isRecord } from '../../src/contract/values/is-record';
import { HttpProblem } from './problems';

/** Request bodies arrive as bytes: what is wrong with them must come after what is wrong with the caller (contract A6). */

/** A JSON object (contract A20); throws the 400, or what `wrongContentTypeStatus` says. */
export function readJsonObject(request: FastifyRequest, wrongContentTypeStatus: number): object {
  requireContentType(request, 'application/json', wrongContentTypeStatus);
  const value = parseJson(bytesOf(request));
  if (!isRecord(value)) {
    throw new HttpProblem(400, 'The request body must be a JSON object.');
  }
  return value;
}

/** Form fields (contract A1); throws the 400, or what `wrongContentTypeStatus` says. */
export function readForm(request: FastifyRequest, wrongContentTypeStatus: number): URLSearchParams {
  requireContentType(request, 'application/x-www-form-urlencoded', wrongContentTypeStatus);
  return new URLSearchParams(bytesOf(request).toString('utf8'));
}

/** Whether there is a body at all (contract A54). */
export function hasBody(request: FastifyRequest): boolean {
  return bytesOf(request).length > 0;
}

function bytesOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function requireContentType(request: FastifyRequest, expected: string, wrongContentTypeStatus: number): void {
  const mediaType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== expected) {
    throw new HttpProblem(wrongContentTypeStatus, `The content type must be ${expected}.`);
  }
}

function parseJson(bytes: Buffer): unknown {
  if (isNestedTooDeeply(bytes)) {
    throw new HttpProblem(
      400,
      `The request body is nested too deeply: at most ${MAX_JSON_DEPTH} levels are allowed.`,
    );
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HttpProblem(400, 'The request body is not well-formed JSON.');
  }
}
