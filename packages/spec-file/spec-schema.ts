import type {
  AgentSpec,
  Artifact,
  BuilderSpec,
  EgressSpec,
  FleetSpec,
  LogRotationSpec,
  PerHostSpec,
  RunnerSpec,
  TartSpec,
} from '@minifleet/host';
import type { Secret } from '@minifleet/secret';
import { z } from 'zod';

/** Readers for the files that a spec names; they reject with a message for the user. */
export interface SpecFiles {
  readonly artifact: (path: string) => Promise<Artifact>;
  /** Reads one line, for example a password. */
  readonly secretLine: (name: string, path: string) => Promise<Secret>;
  /** Reads the whole file, for example a kubeconfig. */
  readonly secretFile: (name: string, path: string) => Promise<Secret>;
}

/** Schema for each field of a type; a field that is added to the spec and missing here is a compile error. */
type FieldSchemas<T> = { readonly [Field in keyof T]-?: z.ZodType<Exclude<T[Field], undefined>> };

/** The file never contains secrets: `password` is `passwordFile` there. */
type InFile<T> = {
  readonly [Field in keyof T & string as Secret extends T[Field] ? `${Field}File` : Field]: T[Field];
};

const text = z.string().min(1, 'must not be empty');
const count = z.int().positive('must be greater than 0');
const network4 = z.cidrv4('must be a network such as 10.0.0.0/8');
const network6 = z.cidrv6('must be a network such as fc00::/7');
const labels = z.record(z.string(), z.string());
const developerDirectory = z
  .string()
  .regex(/^\/.+\.app\/Contents\/Developer$/, 'must be a folder such as /Applications/Xcode.app/Contents/Developer');
const orOff = <T extends z.ZodType>(schema: T) => z.union([schema, z.literal(false)]).exactOptional();

/** Schema of a spec file: a complete `HostSpec`, with paths for artifacts and secrets. */
export function specSchema(files: SpecFiles) {
  const secret = (name: string, read: SpecFiles['secretLine']) =>
    text.transform((path, context) => read(name, path).catch(addIssueTo(context)));
  const host = {
    name: text.exactOptional(),
    user: text.exactOptional(),
    passwordFile: secret('password', files.secretLine).exactOptional(),
    kubeconfigFile: secret('kubeconfig', files.secretFile).exactOptional(),
    providerId: text.exactOptional(),
    labels: labels.exactOptional(),
    runnerTokenFile: secret('runner token', files.secretLine).exactOptional(),
  } satisfies FieldSchemas<InFile<PerHostSpec>>;
  return z.strictObject({
    fleet: fleetSchema(files).prefault({}),
    host: z.strictObject(host).prefault({}),
  });
}

/** Schema of the section that all hosts of a fleet share. */
export const fleetSchema = (files: SpecFiles) =>
  z.strictObject(fleetShape(text.transform((path, context) => files.artifact(path).catch(addIssueTo(context)))));

const addIssueTo =
  (context: z.RefinementCtx) =>
  (error: unknown): never => {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  };

function fleetShape(artifact: z.ZodType<Artifact, string>) {
  const agent = {
    binary: artifact,
    hostCpu: count.exactOptional(),
    hostMemoryMb: count.exactOptional(),
    maxPods: count.exactOptional(),
  } satisfies FieldSchemas<AgentSpec>;
  const tart = { version: text, archive: artifact } satisfies FieldSchemas<TartSpec>;
  return {
    agent: z.strictObject(agent).exactOptional(),
    tart: z.strictObject(tart).exactOptional(),
    egress: orOff(z.strictObject(egress)),
    localNetwork: orOff(z.array(network4)),
    guestLeaseSeconds: orOff(count),
    logRotation: orOff(z.strictObject(logRotation)),
    labels: labels.exactOptional(),
    builder: z.strictObject(builderShape(artifact)).exactOptional(),
  } satisfies FieldSchemas<FleetSpec>;
}

const egress = {
  guests: z.strictObject({ v4: network4, v6: network6.exactOptional() }).exactOptional(),
  blocked: z.strictObject({ v4: z.array(network4), v6: z.array(network6) }).exactOptional(),
  allow: z
    .array(z.strictObject({ to: text, ports: text, protocols: z.array(z.enum(['tcp', 'udp'])).min(1) }))
    .exactOptional(),
} satisfies FieldSchemas<EgressSpec>;

const logRotation = {
  files: z.array(text).exactOptional(),
  maxBytes: count.exactOptional(),
  keep: count.exactOptional(),
} satisfies FieldSchemas<LogRotationSpec>;

function builderShape(artifact: z.ZodType<Artifact, string>) {
  const runner = {
    url: z.url().exactOptional(),
    labels: z.array(text).exactOptional(),
    version: text,
    archive: artifact,
  } satisfies FieldSchemas<RunnerSpec>;
  return {
    homebrewInstaller: orOff(artifact),
    formulae: z.array(z.strictObject({ name: text, version: text.exactOptional(), pinned: z.boolean() })),
    xcode: z.strictObject({ developerDirectory }),
    buildCache: z.strictObject({ directory: text, variable: text }),
    runner: z.strictObject(runner),
  } satisfies FieldSchemas<BuilderSpec>;
}
