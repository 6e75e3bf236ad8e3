/** What `kubectl exec` and `attach` ask for, from the query. The names are those between API server and kubelet. */
import { HttpProblem } from '../http-problem.ts';

export interface CommandRequest {
  readonly argv: readonly string[];
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export function parseCommandRequest(query: URLSearchParams): CommandRequest {
  const asked = (name: string): boolean => query.get(name) === '1' || query.get(name) === 'true';
  const tty = asked('tty');
  const stdin = asked('input');
  const stdout = asked('output');
  // A terminal has one output.
  const stderr = asked('error') && !tty;
  if (!stdin && !stdout && !stderr) throw new HttpProblem(400, 'you must specify at least 1 of stdin, stdout, stderr');
  return { argv: query.getAll('command'), stdin, stdout, stderr, tty };
}
