import type { Clock } from '@minifleet/clock';
import { createRedactor, type Host, openHost } from '@minifleet/host';
import { localTransport } from './local-transport.ts';

export interface ThisMacOptions {
  readonly clock: Clock;
  /** The account of the session at the screen, as whom the agent itself runs. */
  readonly user: string;
  readonly name: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The Mac the agent runs on, with the face every step of a bootstrap uses. */
export const openThisMac = ({ clock, user, name, environment }: ThisMacOptions): Host =>
  openHost({
    transport: localTransport({ clock, address: `${user}@${name}`, environment }),
    user,
    clock,
    redactor: createRedactor(),
  });
