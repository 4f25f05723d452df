"""Templates of slurm.conf and slurmdbd.conf, which `slurm_cluster` fills in."""

# Memory is watched by sampling, as cgroups would need root.
SLURM_CONF = """\
ClusterName=toprank
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port_slurmctld}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType={accounting_storage}
SchedulerParameters=bf_interval=5
SlurmdTimeout=120
MessageTimeout={message_timeout}
KillWait=3
UnkillableStepTimeout=600
ReturnToService=2
MinJobAge={min_job_age}
NodeName=DEFAULT CPUs={cpus} RealMemory={memory} State=UNKNOWN
{nodes}
PartitionName=short Nodes={all_nodes} MaxTime=INFINITE State=UP Default=YES
PartitionName=other Nodes={all_nodes} MaxTime=INFINITE State=UP
"""

SLURMDBD_CONF = """\
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={port_slurmdbd}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={port_mariadb}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
"""
