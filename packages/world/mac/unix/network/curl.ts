import { errorMessage } from '../../files/file-system.ts';
import type { Mac, Program, Run } from '../../mac.ts';
import { refuseForm } from '../getopt.ts';
import { readOperand, resolve } from '../paths.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer | string;
}

/** Network as a Mac reaches it. The world provides the responses; by default nothing is reachable. */
export interface OutboundNetwork {
  /** Undefined: no such host. */
  http: (request: HttpRequest) => Promise<HttpResponse | undefined>;
  /** Returns true if a service listens there, for `nc -z`. */
  listens: (host: string, port: number) => boolean | Promise<boolean>;
}

const KEY = Symbol('network');

export const networkOf = (mac: Mac): OutboundNetwork =>
  mac.state(KEY, () => ({ http: async () => undefined, listens: () => false }));

interface CurlCall {
  readonly request: HttpRequest;
  readonly fail: boolean;
  readonly silent: boolean;
  readonly showErrors: boolean;
  readonly output: string | undefined;
  readonly remoteName: boolean;
}

/** curl with -fsSLo, -X, -H and -d against the simulated network. */
export const curl: Program = async run => {
  const call = await readCall(run);
  if (typeof call === 'string') return refuseForm(run, call);
  const complain = (text: string): void => {
    if (!call.silent || call.showErrors) run.err(`curl: ${text}\n`);
  };
  const { url } = call.request;
  const response = await networkOf(run.mac).http(call.request);
  if (!response) {
    complain(`(6) Could not resolve host: ${url.hostname}`);
    return 6;
  }
  if (call.fail && response.status >= 400) {
    complain(`(22) The requested URL returned error: ${response.status}`);
    return 22;
  }
  const path = call.remoteName ? (url.pathname.split('/').at(-1) ?? '') : call.output;
  if (path === undefined || path === '-') {
    run.out(response.body);
    return 0;
  }
  try {
    run.mac.files.write(run.user, resolve(run, path), response.body);
    return 0;
  } catch (error) {
    complain(`(23) Failure writing output to destination: ${errorMessage(error)}`);
    return 23;
  }
};

const LONG: Readonly<Record<string, string>> = {
  '--fail': '-f',
  '--silent': '-s',
  '--show-error': '-S',
  '--location': '-L',
  '--output': '-o',
  '--request': '-X',
  '--header': '-H',
  '--data': '-d',
  '--data-binary': '-d',
  '--max-time': '-m',
  '--connect-timeout': '-m',
  '--retry': '-m',
  '--retry-delay': '-m',
};

interface CurlArguments {
  readonly flags: ReadonlySet<string>;
  /** Values by letter, in the order given. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly addresses: readonly string[];
}

/** Undefined at the first unknown flag. */
function readWords(argv: readonly string[]): CurlArguments | undefined {
  const words = argv.slice(1);
  const flags = new Set<string>();
  const values: Record<string, string[]> = {};
  const addresses: string[] = [];
  for (let given = words.shift(); given !== undefined; given = words.shift()) {
    const found = /^-([fsSLOk46]*)([oXHdm]?)$/.exec(LONG[given] ?? given);
    if (!given.startsWith('-')) addresses.push(given);
    else if (!found) return undefined;
    for (const letter of found?.[1] ?? '') flags.add(letter);
    if (found?.[2]) values[found[2]] = [...(values[found[2]] ?? []), words.shift() ?? ''];
  }
  return { flags, values, addresses };
}

async function readCall(run: Run): Promise<CurlCall | string> {
  const words = readWords(run.argv);
  const [address] = words?.addresses ?? [];
  const url = URL.parse(address?.includes('://') ? address : `http://${address ?? ''}`);
  if (!words || !url || address === undefined) return "try 'curl --help' for more information";
  const { flags, values } = words;
  const headers: Record<string, string> = {};
  for (const text of values['H'] ?? []) addHeader(headers, text);
  const data = values['d']?.at(-1);
  const body = data === undefined ? Buffer.alloc(0) : await readBody(run, data);
  return {
    request: { method: values['X']?.at(-1) ?? (data === undefined ? 'GET' : 'POST'), url, headers, body },
    fail: flags.has('f'),
    silent: flags.has('s'),
    showErrors: flags.has('S'),
    output: values['o']?.at(-1),
    remoteName: flags.has('O'),
  };
}

function addHeader(headers: Record<string, string>, text: string): void {
  const [name = '', ...rest] = text.split(':');
  headers[name.toLowerCase()] = rest.join(':').trim();
}

const readBody = async (run: Run, text: string): Promise<Buffer> =>
  text.startsWith('@') ? readOperand(run, text.slice(1)) : Buffer.from(text);

/** nc -z [-G s] [-w s] host port. */
export const nc: Program = async run => {
  const words = run.argv.slice(1);
  const operands: string[] = [];
  let probing = false;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-G' || word === '-w') words.shift();
    else if (/^-[znv]+$/.test(word)) probing ||= word.includes('z');
    else operands.push(word);
  }
  const [host = '', port = ''] = operands;
  if (!probing || operands.length !== 2) return refuseForm(run);
  return (await networkOf(run.mac).listens(host, Number(port))) ? 0 : 1;
};
