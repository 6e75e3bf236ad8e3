/** Names that both sides of the benchmark use. */
export const NAMESPACE = 'benchmark';

/** Secret whose change concerns every object, like global settings. */
export const SETTINGS = 'settings';

/** Write time of the event on the shared clock. Events of the warm-up do not have it. */
export const WRITTEN_AT = 'benchmark.minifleet.dev/written-at';

/** Annotation that a writing reconcile sets once. */
export const DONE = 'benchmark.minifleet.dev/done';

export type SubjectName = 'minifleet' | 'official';
export const SUBJECTS: readonly SubjectName[] = ['minifleet', 'official'];

/** One figure per subject. */
export type Both<Figures> = Readonly<Record<SubjectName, Figures>>;
