export interface Project {
  id: number;
  name: string;
  /** Absent for an administrator, who may do everything. */
  role?: 'owner' | 'member' | 'viewer';
}

/** The chosen project, or the first one if it was not chosen, or does not exist for this person. */
export function projectToShow(projects: readonly Project[], chosen: string | null) {
  return projects.find(({ id }) => String(id) === chosen) ?? projects[0];
}

/** Whether a person may change servers. The service decides; this only hides what it would refuse. */
export const mayChange = ({ role }: Project): boolean => role !== 'viewer';
