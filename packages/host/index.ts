/** A Mac as we want it: transport, steps, plans, ledger. It knows no Kubernetes. */
export * from './engine/step.ts';
export * from './errors.ts';
export * from './host.ts';
export { type OpenHostOptions, openHost } from './open-host.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { Secret } from './secret.ts';
export type { Argv, Command, Outcome, Transport } from './transport/transport.ts';
