import type { Tracer } from '@opentelemetry/api';
import type { NexusInterceptorsFactory } from '@temporalio/worker';
import { contextOf, logAttributes } from './carrier';
import { ATTRIBUTES, inSpan } from './spans';

/** Nexus operations go on with their caller's trace, which their headers carry as those of HTTP do. */
export function nexusTracing(tracer: Tracer): NexusInterceptorsFactory {
  return () => ({
    inbound: {
      startOperation: (input, next) => {
        const { service, operation, headers } = input.ctx;
        return inSpan(tracer, {
          name: `RunStartNexusOperation:${service}/${operation}`,
          attributes: { [ATTRIBUTES.nexusService]: service, [ATTRIBUTES.nexusOperation]: operation },
          parent: contextOf(headers),
          run: () => next(input),
        });
      },
    },
    outbound: { getLogAttributes: (input, next) => next({ ...logAttributes(), ...input }) },
  });
}
