import { fileFailure } from '../interpret.ts';
import { ReturnFromFunction } from '../leave.ts';
import { runCommand } from '../run-command.ts';
import { absolute } from '../shell-state.ts';
import { type Builtin, complainAs } from './call.ts';

/** `. file`: runs it in this shell. */
export const source: Builtin = async call => {
  const { scope } = call;
  const [, path] = call.argv;
  if (path === undefined) {
    complainAs(call, 'not enough arguments');
    return 1;
  }
  try {
    const text = readText(call, path);
    return await runCommand.evaluate(scope, text);
  } catch (error) {
    if (error instanceof ReturnFromFunction) return error.code;
    throw error;
  }
};

function readText({ scope: { state } }: Parameters<Builtin>[0], path: string): string {
  try {
    return state.mac.files.read(state.user, absolute(state, path)).toString();
  } catch (error) {
    throw fileFailure(state, path, error);
  }
}
