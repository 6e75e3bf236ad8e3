import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, createBackOff, type Duration, milliseconds, pause, seconds } from '@minifleet/clock';
import { errorFields, type Log } from '@minifleet/kube/log';
import { exists, makeDirectoryDurably, type OnDurableWrite } from '../durable/write-durably.ts';

import { connectAgent } from './agent-client/agent-client.ts';
import { GUEST_ALREADY_RAN, GUEST_NOT_RUNNING, GUEST_STILL_THERE, SCREEN_NOT_SERVED } from './errors.ts';
import { rebootedExit, stoppedBeforeStart, unknownExit } from './exits.ts';
import type { ExecOptions, ExecSession, Guest, GuestExit, GuestScreen, GuestSpec, GuestState } from './guest.ts';
import { guestKey, guestName } from './guest-name.ts';
import { createVm, ensureStopped, removeGuest } from './guest-vm.ts';

import { prepareSupervisor } from './prepare-supervisor.ts';
import { isSupervisorOf, killProcesses } from './process-table.ts';
import { EXIT, quarantine, RUN, readExit, readScreen, readVmPid, SOCKET, writeExit, writeRecord } from './record.ts';

import { connectSupervisor, type SupervisorLink } from './supervisor/supervisor-link.ts';
import { controlSocket, type TartCli } from './tart.ts';

/** Dependencies shared by all guests of this host. */
export interface GuestContext {
  readonly tart: TartCli;
  readonly tartPath: string;
  readonly tartHome: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The supervisor program and its arguments; the guest's folder is appended. */
  readonly supervisor: readonly [string, ...string[]];
  readonly onDurableWrite?: OnDurableWrite | undefined;
  /** Changes with each boot of the host; no guest survives a reboot. */
  readonly bootId?: string | undefined;
}

interface GuestHandleOptions {
  readonly context: GuestContext;
  readonly spec: GuestSpec;
  readonly directory: string;
  onChange(guest: Guest): void;
}

/** State of a guest of a previous agent process, from its folder. */
export interface RecoveredGuest {
  readonly record: 'whole' | 'lost';
  readonly boot?: string | undefined;
}

/** Builds the exit of a guest whose end no supervisor recorded. */
type ExitFactory = (at: number) => GuestExit;

const lost =
  (why: string): ExitFactory =>
  at =>
    unknownExit(at, why);

/** Added to the grace period for an unresponsive supervisor; then it is killed, and its VM after it. */
const SUPERVISOR_GRACE = seconds(15);
const SETTLE_RETRY = { first: seconds(1), most: seconds(60) };
const SETTLE_WITHIN = seconds(5);
const SCREEN_SERVED_WITHIN = seconds(5);
const AGENT_ANSWERS_WITHIN = 10_000;

/** The agent's handle of one guest. The state is in the guest's folder and supervisor, and is recovered from there. */
export class GuestHandle implements Guest {
  readonly #options: GuestHandleOptions;
  readonly #context: GuestContext;
  readonly #exited = Promise.withResolvers<void>();
  readonly #screenServed = Promise.withResolvers<void>();
  readonly #giveUp = new AbortController();
  #state: GuestState = { phase: 'creating' };
  #link: SupervisorLink | undefined;
  #starting: Promise<void> | undefined;
  #spec: GuestSpec;
  #begun = false;
  #closed = false;

  constructor(options: GuestHandleOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#spec = options.spec;
  }

  get spec(): GuestSpec {
    return this.#spec;
  }

  get state(): GuestState {
    return this.#state;
  }

  /**
   * Concurrent calls share one start. A guest that was started but has not run is created again with the newest spec.
   */
  start(spec: GuestSpec): Promise<void> {
    this.#starting ??= this.#start(spec).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(spec: GuestSpec): Promise<void> {
    const { directory } = this.#options;
    const { tart, tartPath, tartHome, clock, environment, supervisor, onDurableWrite, bootId: boot } = this.#context;
    if (this.#state.phase === 'exited') throw GUEST_ALREADY_RAN({ guest: this.#key });
    if (this.#link) return;
    if (this.#begun && (await this.#hasRun())) return;
    this.#spec = spec;
    await makeDirectoryDurably(directory);
    await writeRecord(directory, { spec, tart: { path: tartPath, home: tartHome }, boot }, { onDurableWrite });
    const { signal } = this.#giveUp;
    const retried = this.#begun;
    // If anything fails from here on, the next attempt must clean up first.
    this.#begun = true;
    const prepared = prepareSupervisor({ command: supervisor, directory, guest: this.#key, environment, clock });
    try {
      await createVm({ spec, tart, tartHome, clock, retried, signal });
      if (signal.aborted) return;
      await prepared.go();
    } finally {
      prepared.discard();
    }
    if (!(await this.#connect())) await this.#settle(lost('its supervisor ended immediately after its start'));
  }

  /** A supervisor may have started its work after the agent that launched it gave up or died. */
  async #hasRun(): Promise<boolean> {
    const { directory } = this.#options;
    if (await this.#connect()) return true;
    await killProcesses(isSupervisorOf(directory), this.#context.clock);
    await rm(join(directory, SOCKET), { force: true });
    if (!(await exists(join(directory, RUN)))) return false;
    await this.#settle(lost('its supervisor ended without an exit record'));
    return true;
  }

  /**
   * Reconnects after an agent start: to the supervisor, or to what it left. A guest that has not run stays as it is,
   * for `start`.
   */
  async adopt({ record, boot }: RecoveredGuest): Promise<void> {
    const { directory } = this.#options;
    this.#begun = true;
    if (await this.#connect()) return;
    const claimed = await exists(join(directory, RUN));
    const finished = await exists(join(directory, EXIT));
    const rebooted = boot !== undefined && boot !== this.#context.bootId;
    if (claimed || finished)
      await this.#settleSoon(rebooted ? rebootedExit : lost('its supervisor ended without an exit record'));
    else if (record === 'lost') await this.#settleSoon(lost('its record could not be read'));
  }

  /**
   * A hanging Tart must not block the agent's start: after a while the guest counts as starting, and is settled later.
   */
  async #settleSoon(end: ExitFactory): Promise<void> {
    const { clock } = this.#context;
    await Promise.race([this.#settle(end), pause(clock, SETTLE_WITHIN)]);
    if (this.#state.phase === 'creating') this.#become({ phase: 'starting', since: clock.now() });
  }

  async stop(grace: Duration): Promise<void> {
    if (this.#state.phase === 'exited') return;
    this.#giveUp.abort();
    await this.#starting?.catch(() => undefined);
    if (this.#link) await this.#stopBySupervisor(this.#link, grace);
    else if (this.#state.phase === 'creating') await this.#finish(stoppedBeforeStart(this.#context.clock.now()));
    await this.#exited.promise;
  }

  async #stopBySupervisor(link: SupervisorLink, grace: Duration): Promise<void> {
    link.stop(grace);
    const late = this.#context.clock.after(milliseconds(grace + SUPERVISOR_GRACE), () => {
      this.#context.log.error({ guest: this.#key, pid: link.pid }, 'Supervisor did not stop its guest; killing it');
      // The link is open, so the pid is still the supervisor's.
      if (this.#link === link) process.kill(link.pid, 'SIGKILL');
    });
    await this.#exited.promise;
    late.cancel();
  }

  async remove(): Promise<void> {
    if (this.#state.phase !== 'exited') throw GUEST_STILL_THERE({ guest: this.#key, phase: this.#state.phase });
    this.close();
    await removeGuest(this.#context, { spec: this.spec, directory: this.#options.directory });
  }

  async exec({ argv, terminal, stdin }: ExecOptions): Promise<ExecSession> {
    if (this.#state.phase !== 'running') throw GUEST_NOT_RUNNING({ guest: this.#key, phase: this.#state.phase });
    const path = controlSocket(this.#context.tartHome, guestName(this.spec.id));
    const agent = await connectAgent(path, AbortSignal.timeout(AGENT_ANSWERS_WITHIN));
    const session = agent.exec({ argv, interactive: stdin, terminal });
    session.exited.catch(() => undefined).finally(() => agent.close());
    return session;
  }

  /** Reads the file each time, so that the password stays in memory no longer than needed. */
  async screen(): Promise<GuestScreen | undefined> {
    if (!this.spec.screen) return undefined;
    // The caller may know that the guest runs slightly before its screen is on disk.
    if (!isServed(this.#state)) {
      const { clock } = this.#context;
      await Promise.race([this.#screenServed.promise, this.#exited.promise, pause(clock, SCREEN_SERVED_WITHIN)]);
    }
    if (!isServed(this.#state)) throw SCREEN_NOT_SERVED({ guest: this.#key, why: 'Tart has not printed its address' });
    const kept = await readScreen(this.#options.directory);
    if (kept.found === 'whole') return kept.value;
    const why = kept.found === 'missing' ? 'its record is gone' : `its record is unreadable: ${kept.why}`;
    throw SCREEN_NOT_SERVED({ guest: this.#key, why });
  }

  /** Disconnects from the guest, which keeps running. */
  close(): void {
    this.#closed = true;
    this.#link?.close();
    this.#link = undefined;
  }

  get #key(): string {
    return guestKey(this.spec.id);
  }

  async #connect(): Promise<boolean> {
    const link = await connectSupervisor(this.#options.directory, {
      onState: state => this.#become(state),
      onLost: () => {
        this.#link = undefined;
        if (this.#state.phase !== 'exited') void this.#settle(lost('its supervisor was killed'));
      },
    });
    if (!link) return false;
    this.#link = link;
    this.#become(link.state);
    return true;
  }

  /** Without a supervisor: ensures that nothing runs, then records the exit. Retried until certain. */
  async #settle(end: ExitFactory): Promise<void> {
    const { tart, clock, log } = this.#context;
    const backOff = createBackOff(SETTLE_RETRY, clock);
    while (!this.#closed) {
      try {
        const group = await readVmPid(this.#options.directory);
        await ensureStopped(guestName(this.spec.id), { tart, clock, group });
        return await this.#finish((await this.#keptExit()) ?? end(clock.now()));
      } catch (error) {
        log.error(
          { guest: this.#key, ...errorFields(error) },
          'Could not confirm that an unsupervised VM has stopped; retrying',
        );
        await pause(clock, backOff.next());
      }
    }
  }

  async #keptExit(): Promise<GuestExit | undefined> {
    const { directory } = this.#options;
    const exit = await readExit(directory);
    if (exit.found === 'whole') return exit.value;
    if (exit.found === 'corrupt') {
      const aside = await quarantine(directory, EXIT, this.#context.clock.now());
      this.#context.log.error({ guest: this.#key, aside, why: exit.why }, 'Exit record is unreadable; quarantined');
    }
    return undefined;
  }

  async #finish(exit: GuestExit): Promise<void> {
    const { directory } = this.#options;
    const { log, onDurableWrite } = this.#context;
    const kept = await readExit(directory);
    if (kept.found !== 'whole') {
      // On a full disk the exit is still reported: only removing guests frees space, and the next agent comes to the
      // same result.
      await writeExit(directory, exit, { onDurableWrite }).catch((error: unknown) =>
        log.error({ guest: this.#key, ...errorFields(error) }, 'Exit record could not be written'),
      );
    }
    this.#become({ phase: 'exited', exit: kept.found === 'whole' ? kept.value : exit });
  }

  #become(state: GuestState): void {
    if (this.#state.phase === 'exited') return;
    this.#state = state;
    if (state.phase === 'exited') this.#exited.resolve();
    if (isServed(state)) this.#screenServed.resolve();
    this.#options.onChange(this);
  }
}

const isServed = (state: GuestState): boolean => state.phase === 'running' && state.screen === true;
