import { type ReactNode, useEffect } from 'react';
import classes from './sections.module.css';

export interface Section {
  /** As its heading says it. */
  name: string;
  form: ReactNode;
}

/** `Danger zone` as `danger-zone`. */
const idOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');

/** Forms below each other, with links to them, which people can also share. */
export function Sections({ sections }: { sections: readonly Section[] }) {
  useEffect(() => {
    // When the browser looked for the section of the URL, it was not there yet.
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <div className={classes.layout}>
      <div className={classes.forms}>
        {sections.map(({ name, form }) => (
          <div key={name} id={idOf(name)}>
            {form}
          </div>
        ))}
      </div>
      <nav aria-label="Settings" className={classes.links}>
        <ul className="plain-list">
          {sections.map(({ name }) => (
            <li key={name}>
              <a href={`#${idOf(name)}`}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}
