-- Finds the trial of a run that is made: the run gets the name of its sweep.
create index sweep_trial_run on sweep_trial (project_id, run_name);
