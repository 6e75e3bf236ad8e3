import { type Child, startChild } from '../../child/start-child.ts';
import type { SubjectName } from '../names.ts';
import type { SubjectCalls, TaskName } from './calls.ts';

export type Subject<Name extends TaskName> = Child<SubjectCalls<Name>>;

/** Starts the process of a subject. Its client is loaded, but has sent no request. */
export function startSubject<Name extends TaskName>(subject: SubjectName, task: Name): Promise<Subject<Name>> {
  return startChild<SubjectCalls<Name>>({
    file: new URL('./subject.ts', import.meta.url),
    argv: [subject, task],
    nodeFlags: ['--expose-gc'],
  });
}
