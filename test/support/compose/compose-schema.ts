import { z } from 'zod';

// A schema for the parts of the Compose specification that our docker-compose.yml uses. It refuses any other key, such as a
// misspelt one, and any malformed value.

const environmentName = z.string().regex(/^[A-Z][A-Z0-9_]*$/);
const serviceName = z.string().regex(/^[a-z][a-z0-9-]*$/);
const duration = z.string().regex(/^(\d+(h|m|s|ms))+$/);
const port = z.string().regex(/^\d{1,5}$/);

/** HOST-ADDRESS:HOST-PORT:CONTAINER-PORT. */
const publishedPort = z.string().regex(/^[\d.]+:\d{1,5}:\d{1,5}$/);

/** NAME:/CONTAINER-PATH. */
const namedVolume = z.string().regex(/^[a-z-]+:\/[\w/]+$/);

/** A file or folder of the repository that the container may only read: ./PATH:/CONTAINER-PATH:ro. */
const mountedFile = z.string().regex(/^\.\/[\w./-]+:\/[\w./-]+:ro$/);

const healthcheckSchema = z.strictObject({
  test: z.tuple([z.literal('CMD')], z.string()),
  interval: duration,
  timeout: duration,
  retries: z.int().positive(),
  start_period: duration.optional(),
});

const loggedSchema = z.strictObject({
  logging: z.strictObject({
    driver: z.literal('json-file'),
    options: z.strictObject({
      'max-size': z.string().regex(/^\d+m$/),
      'max-file': z.string().regex(/^\d+$/),
    }),
  }),
});

const unprivilegedSchema = loggedSchema.extend({
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
});

const ownSchema = unprivilegedSchema.extend({
  read_only: z.literal(true),
  tmpfs: z.array(z.string().regex(/^\/[\w/]+:[\w=,]+$/)),
});

const databaseSchema = unprivilegedSchema.extend({ cap_add: z.array(z.string().regex(/^[A-Z_]+$/)) });

const serviceSchema = z.strictObject({
  image: z.string().min(1),
  build: z.literal('.').optional(),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(environmentName, z.string()).default({}),
  ports: z.array(publishedPort).default([]),
  expose: z.array(port).default([]),
  volumes: z.array(z.union([namedVolume, mountedFile])).default([]),
  profiles: z.array(z.enum(['console', 'encryption', 'keeper', 'monitoring'])).default([]),
  networks: z.strictObject({ default: z.strictObject({ aliases: z.array(z.string()) }) }).optional(),
  network_mode: z.literal('host').optional(),
  depends_on: z
    .record(
      serviceName,
      z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully']) }),
    )
    .default({}),
  healthcheck: healthcheckSchema.optional(),
  stop_grace_period: duration.optional(),
  ...loggedSchema.shape,
  ...ownSchema.omit({ logging: true }).partial().shape,
  ...databaseSchema.pick({ cap_add: true }).partial().shape,
  init: z.boolean().optional(),
  restart: z.enum(['unless-stopped', 'no']),
});

export const composeSchema = z.strictObject({
  name: z.string().min(1),
  /** Values that several services share through a YAML anchor. */
  'x-encryption': z.record(environmentName, z.string()),
  'x-logged': loggedSchema,
  'x-unprivileged': unprivilegedSchema,
  'x-own': ownSchema,
  'x-database': databaseSchema,
  services: z.record(serviceName, serviceSchema),
  volumes: z.record(z.string(), z.null()),
});

export type Compose = z.infer<typeof composeSchema>;
export type ComposeService = z.infer<typeof serviceSchema>;
