//! stub
#![allow(missing_docs)]
use serde::{Deserialize,Serialize};
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub enum SystemSpec { Stiction{ #[serde(default)] mu_s:Option<f64>, #[serde(default)] mu_d:Option<f64>} }
impl SystemSpec { pub fn build(&self)->Result<crate::system::System,String>{ let Self::Stiction{mu_s,mu_d}=self; let mut s=crate::system::catalogue::stiction(); if let Some(v)=mu_s {s.parameters[1].value=*v;} if let Some(v)=mu_d {s.parameters[2].value=*v;} Ok(s)} }
