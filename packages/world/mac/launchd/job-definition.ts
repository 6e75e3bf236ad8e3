import { isDictionary, type PlistValue, readPlist } from '../unix/preferences/property-list.ts';

/** A job as its property list describes it. launchd reads the file once, when the job is bootstrapped. */
export interface JobDefinition {
  readonly label: string;
  readonly program: string;
  readonly arguments: readonly string[];
  readonly userName?: string;
  readonly runAtLoad: boolean;
  readonly keepAlive: boolean | { readonly successfulExit?: boolean };
  readonly startInterval?: number;
  /** Minimum seconds between two starts. */
  readonly throttleInterval: number;
  readonly standardOut?: string;
  readonly standardError?: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  readonly sessionTypes: readonly string[];
  readonly sockets: boolean;
  readonly unknownKeys: readonly string[];
}

const KNOWN = new Set(
  (
    'Label Program ProgramArguments UserName GroupName RunAtLoad KeepAlive StartInterval ThrottleInterval StandardOutPath ' +
    'StandardErrorPath EnvironmentVariables WorkingDirectory LimitLoadToSessionType Sockets inetdCompatibility ' +
    'ProcessType SessionCreate ExitTimeOut AbandonProcessGroup SoftResourceLimits HardResourceLimits Umask Nice Disabled ' +
    'MachServices EnableTransactions LegacyTimers'
  ).split(' '),
);
const DEFAULT_THROTTLE = 10;

/** Throws if the text is not a property list or does not describe a job. */
export function parseJobDefinition(text: string): JobDefinition {
  // An unescaped value makes the file invalid XML, and launchd rejects all of it (facts §3.18: values are not escaped).
  if (/&(?!(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.test(text)) throw new Error('not XML');
  const keys = readPlist(text);
  if (!isDictionary(keys)) throw new Error('not a dictionary');
  const words = keys['ProgramArguments'];
  const argv = Array.isArray(words) ? words.map(String) : [];
  const label = textOf(keys['Label']);
  const program = textOf(keys['Program']) ?? argv[0];
  if (!label || !program) throw new Error('no Label or Program');
  return {
    label,
    program,
    arguments: argv.length > 0 ? argv : [program],
    runAtLoad: keys['RunAtLoad'] === true,
    keepAlive: keepAliveOf(keys['KeepAlive']),
    throttleInterval: numberOf(keys['ThrottleInterval']) ?? DEFAULT_THROTTLE,
    environment: dictionaryOf(keys['EnvironmentVariables']),
    sessionTypes: [keys['LimitLoadToSessionType'] ?? []].flat().map(String),
    sockets: keys['Sockets'] !== undefined,
    unknownKeys: Object.keys(keys).filter(key => !KNOWN.has(key)),
    ...given('userName', textOf(keys['UserName'])),
    ...given('startInterval', numberOf(keys['StartInterval'])),
    ...given('standardOut', textOf(keys['StandardOutPath'])),
    ...given('standardError', textOf(keys['StandardErrorPath'])),
    ...given('workingDirectory', textOf(keys['WorkingDirectory'])),
  };
}

const textOf = (value: PlistValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const numberOf = (value: PlistValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

const given = <K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]?: V });

function keepAliveOf(value: PlistValue | undefined): JobDefinition['keepAlive'] {
  if (typeof value === 'boolean' || value === undefined) return value === true;
  if (!isDictionary(value)) throw new Error('KeepAlive is neither boolean nor dictionary');
  const { SuccessfulExit: successfulExit } = value;
  return typeof successfulExit === 'boolean' ? { successfulExit } : {};
}

function dictionaryOf(value: PlistValue | undefined): Readonly<Record<string, string>> {
  if (!isDictionary(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, typeof entry === 'string' ? entry : '']));
}
