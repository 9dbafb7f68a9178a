/** RFC 7807 problem details, in which every member is optional (contract A70). */
export type ProblemDetails = {
  type?: string | null | undefined;
  title?: string | null | undefined;
  status?: number | null | undefined;
  detail?: string | null | undefined;
  instance?: string | null | undefined;
  /** Messages by the path of the field that they are about (contract A21). */
  errors?: Record<string, string[]> | undefined;
};
