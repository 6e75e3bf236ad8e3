import { renderPropertyList } from './property-list.ts';

/** A job of launchd's system domain, as far as we use its keys. */
export interface LaunchDaemon {
  readonly label: string;
  /** argv; the first is the program. */
  readonly arguments: readonly string[];
  /** Runs as root unless given. */
  readonly user?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Start it again whenever it ends, but not sooner than `throttleSeconds` after its last start. */
  readonly keepAlive?: boolean;
  readonly throttleSeconds?: number;
  readonly startIntervalSeconds?: number;
  /** Takes standard output and standard error. */
  readonly logFile?: string;
}

export const propertyListPath = (label: string): string => `/Library/LaunchDaemons/${label}.plist`;

/** Where it lies: anyone else who could write it could become root, and launchd refuses it then (122). */
export const propertyListPlace = (label: string) =>
  ({ path: propertyListPath(label), mode: 0o644, owner: 'root:wheel' }) as const;

export const renderDaemon = (daemon: LaunchDaemon): string =>
  renderPropertyList({
    Label: daemon.label,
    ProgramArguments: daemon.arguments,
    UserName: daemon.user,
    EnvironmentVariables: daemon.environment,
    RunAtLoad: true,
    KeepAlive: daemon.keepAlive,
    ThrottleInterval: daemon.throttleSeconds,
    StartInterval: daemon.startIntervalSeconds,
    StandardOutPath: daemon.logFile,
    StandardErrorPath: daemon.logFile,
  });
