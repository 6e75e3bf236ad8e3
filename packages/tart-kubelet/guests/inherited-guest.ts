import { rm } from 'node:fs/promises';
import { type Duration, milliseconds, seconds, type Timer } from '@minifleet/clock';
import { errorFields } from '@minifleet/kube';
import { connectAgent } from './agent-client/agent-client.ts';
import { GUEST_ALREADY_RAN, GUEST_NOT_RUNNING, GUEST_STILL_THERE } from './errors.ts';
import { unknownExit } from './exits.ts';
import type { ExecOptions, ExecSession, Guest, GuestScreen, GuestSpec, GuestState, InheritedVm } from './guest.ts';
import type { GuestContext } from './guest-handle.ts';
import { guestKey } from './guest-name.ts';
import { deleteVm, ensureStopped } from './guest-vm.ts';
import { isTartCallOn, listProcesses } from './process-table.ts';
import { bundlePath, controlSocket } from './tart.ts';

interface InheritedGuestOptions {
  readonly context: GuestContext;
  readonly vm: InheritedVm;
  onChange(guest: Guest): void;
}

const WATCH_INTERVAL = seconds(5);
const AGENT_ANSWERS_WITHIN = 10_000;

const specOf = ({ id, pod, name }: InheritedVm): GuestSpec => ({
  ...{ id, pod, vmName: name, image: '', shares: [], freshIdentity: false, logFile: '' },
  bootWithin: milliseconds(0),
});

/**
 * Guest without a record and a supervisor: `tart run` is a process of the previous agent. It is only observed, in the process table. Its
 * exit code is unknown, because only its parent gets it. After a restart of this agent, the status of the Pod names the VM again.
 */
export class InheritedGuest implements Guest {
  readonly spec: GuestSpec;
  readonly #options: InheritedGuestOptions;
  readonly #exited = Promise.withResolvers<void>();
  #state: GuestState;
  #watch: Timer | undefined;
  #closed = false;

  constructor(options: InheritedGuestOptions) {
    const { startedAt, address } = options.vm;
    this.#options = options;
    this.spec = specOf(options.vm);
    this.#state = { phase: 'running', startedAt, address };
  }

  get state(): GuestState {
    return this.#state;
  }

  /** Observes the VM once, and then until it has ended. An unreadable process table says nothing. */
  async watch(): Promise<void> {
    const { clock, log } = this.#options.context;
    try {
      if (!(await this.#runs())) this.#end('the VM has ended');
    } catch (error) {
      log.error({ vm: this.#name, ...errorFields(error) }, 'Processes could not be listed; retrying');
    }
    if (this.#state.phase !== 'exited' && !this.#closed)
      this.#watch = clock.after(WATCH_INTERVAL, () => void this.watch());
  }

  async start(): Promise<void> {
    throw GUEST_ALREADY_RAN({ guest: guestKey(this.spec.id) });
  }

  /** Tart cuts the power, as it did for the previous agent. */
  async stop(grace: Duration): Promise<void> {
    if (this.#state.phase === 'exited') return;
    const { tart, clock } = this.#options.context;
    await tart.stop(this.#name, grace);
    await ensureStopped(this.#name, { tart, clock });
    this.#end('the VM was stopped');
    await this.#exited.promise;
  }

  async remove(): Promise<void> {
    if (this.#state.phase !== 'exited')
      throw GUEST_STILL_THERE({ guest: guestKey(this.spec.id), phase: this.#state.phase });
    const { context } = this.#options;
    await deleteVm(context, this.#name);
    await rm(bundlePath(context.tartHome, this.#name), { recursive: true, force: true });
  }

  async exec({ argv, terminal, stdin }: ExecOptions): Promise<ExecSession> {
    if (this.#state.phase !== 'running')
      throw GUEST_NOT_RUNNING({ guest: guestKey(this.spec.id), phase: this.#state.phase });
    const path = controlSocket(this.#options.context.tartHome, this.#name);
    const agent = await connectAgent(path, AbortSignal.timeout(AGENT_ANSWERS_WITHIN));
    const session = agent.exec({ argv, interactive: stdin, terminal });
    session.exited.catch(() => undefined).finally(() => agent.close());
    return session;
  }

  async screen(): Promise<GuestScreen | undefined> {
    return undefined;
  }

  close(): void {
    this.#closed = true;
    this.#watch?.cancel();
  }

  get #name(): string {
    return this.#options.vm.name;
  }

  async #runs(): Promise<boolean> {
    return (await listProcesses()).some(isTartCallOn(this.#name));
  }

  #end(what: string): void {
    if (this.#state.phase === 'exited') return;
    const why = `${what}; the agent of the previous system started it, so its exit code is unknown`;
    this.#state = { phase: 'exited', exit: unknownExit(this.#options.context.clock.now(), why) };
    this.#watch?.cancel();
    this.#exited.resolve();
    this.#options.onChange(this);
  }
}
