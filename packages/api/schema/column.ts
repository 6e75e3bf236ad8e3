/** A column of `kubectl get`. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'boolean' | 'date';
  jsonPath: string;
  description: string;
  /** Above 0 the column shows only with `-o wide`. */
  priority?: number;
}

export function conditionColumn(condition: string, description: string, priority?: number): Column {
  return column({ name: condition, jsonPath: `${pathOf(condition)}.status`, description, priority });
}

/** Shows the reason of a condition. */
export function reasonColumn(condition: string, description: string): Column {
  return column({ name: 'Reason', jsonPath: `${pathOf(condition)}.reason`, description });
}

/** Shows the message of a condition, for conditions whose reason only repeats the status. */
export function messageColumn(condition: string, description: string): Column {
  return column({ name: 'Why', jsonPath: `${pathOf(condition)}.message`, description });
}

export const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created',
};

function column({ priority, ...rest }: Omit<Column, 'type' | 'priority'> & { priority?: number | undefined }): Column {
  return { ...rest, type: 'string', ...(priority === undefined ? {} : { priority }) };
}

function pathOf(condition: string): string {
  return `.status.conditions[?(@.type=="${condition}")]`;
}
