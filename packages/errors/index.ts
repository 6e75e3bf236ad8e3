/** Errors as a catalogue: each has a code, a condition reason, a rule for trying again, and a sentence that names the next action. */
export * from './define-error.ts';
