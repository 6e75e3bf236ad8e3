/** The names both sides of the benchmark know: where the objects are, and the marks put on them. */
export const NAMESPACE = 'benchmark';

/** One Secret whose change concerns every object, as a change of global settings does. */
export const SETTINGS = 'settings';

/** When the server wrote the event, by the clock all processes share. Events of the warm-up do not carry it. */
export const WRITTEN_AT = 'benchmark.minifleet.dev/written-at';

/** What a writing reconcile puts on its object, once. */
export const DONE = 'benchmark.minifleet.dev/done';

export type SubjectName = 'minifleet' | 'official';
export const SUBJECTS: readonly SubjectName[] = ['minifleet', 'official'];

/** The same figure of both, side by side. */
export type Both<Figures> = Readonly<Record<SubjectName, Figures>>;
