// Cluster API core computes a CRD's name from its kind with the Go library flect and looks for no other.
// flect has dozens of endings (policy, box, roof…). These are the ones where it was seen to add only an `s`.
const regular = /(?:ne|te|er|im|ol)$/;

/** The plural that Cluster API expects for a kind; throws for an ending whose plural has not been checked against flect. */
export function contractPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (!regular.test(singular)) {
    throw new Error(`plural of ${kind} is not known: check flect.Pluralize("${singular}") and add its ending here`);
  }
  return `${singular}s`;
}
